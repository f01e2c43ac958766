#include "core/declare/stat_fields.hh"

namespace memsim {

template struct StatTable<Counter>;
template struct StatTable<ElapsedTime>;
template struct StatTable<ElapsedCycles>;
template struct StatTable<BookedCycles>;
template struct StatTable<LongestTime>;
template struct StatTable<Gathered>;
template struct StatTable<Gauge>;
template struct StatTable<Average>;
template struct StatTable<Maximum>;
template struct StatTable<Distribution>;
template struct StatTable<Level>;
template struct StatTable<Ratio>;
template struct StatTable<PerSecond>;
template struct StatTable<Figure>;
template struct StatTable<SumOfRatios>;
template struct StatTable<Each<Counter>>;
template struct StatTable<Each<ElapsedTime>>;
template struct StatTable<Each<ElapsedCycles>>;
template struct StatTable<Each<BookedCycles>>;
template struct StatTable<Each<Gathered>>;
template struct StatTable<Each<Ratio>>;

} // namespace memsim
