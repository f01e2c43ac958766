// Write-verify of ESD: a write whose fingerprint equals that of a reference reads the reference,
// and is a duplicate only if all bytes are equal. Detectors with a strong digest leave this step
// out (Detector::verifies()).
#include "cmd/controller/writing.hh"
#include "core/base/bits.hh"

namespace memsim::cmd {

Actions Writing::find_reference(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j);
    const Reference* const r = shared_.placement.find(j.digest, j.mask);
    if (!r) return pack(id, j);
    if (!shared_.scheme.detector->verifies()) return join(id, j, r->place);
    j.place = r->place;
    j.step = Step::verified;
    shared_.jobs.data(id).other = {};
    return {action::Fetch {j.place, j.mask, &stat_.verify_reads}};
}

/// The data of the reference have arrived. Another reference may have replaced it in the meantime;
/// the write then looks for one again.
Actions Writing::verify(std::uint32_t id, Job& j) {
    const Reference* const r = shared_.placement.find(j.digest, j.mask);
    if (!r || r->place != j.place || must_be_whole(j)) return find_reference(id, j);
    const JobData& data = shared_.jobs.data(id);
    bool equal = true;
    for_each_bit(j.mask, [&](std::uint32_t s) {
        equal = equal && data.own[s].bytes == data.other[s].bytes;
    });
    if (equal) return join(id, j, j.place);
    ++stat_.collisions;
    return pack(id, j);
}

} // namespace memsim::cmd
