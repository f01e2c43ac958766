#include "workload/traces/trace_tools.hh"

#include "core/base/text.hh"
#include "gpu_program/local_memory.hh"
#include "input_files/input_file.hh"
#include "workload/traces/trace_source.hh"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace memsim::workload {

namespace {

constexpr std::size_t batch_records = 4096, batch_contents = 1 << 20;
// One page covers the whole address space, so addresses are unchanged.
const TraceSourceOptions as_traced {
    std::uint64_t {1} << 57, std::uint64_t {1} << 58, 1, 512 << 10, false, "in_order"};

/// Plays an Accel-Sim trace. Calls on_launch(launch), and on_op(operation, start of its warp's
/// local memory) for each operation. Each warp of a launch has its own local memory, below the end
/// of the address space.
template <class OnLaunch, class OnOp>
void play(const std::string& path, OnLaunch&& on_launch, OnOp&& on_op) {
    TraceSource source(path, as_traced);
    gpu_program::Launch launch;
    gpu_program::BlockStreams out;
    gpu_program::WarpOp op;
    while (source.next_launch(launch)) {
        on_launch(launch);
        for (std::uint32_t block = 0; block < launch.blocks(); ++block) {
            source.run_block(block, out);
            for (std::size_t w = 0; w < out.warps.size(); ++w) {
                const std::uint64_t before = std::uint64_t {block} * out.warps.size() + w + 1;
                const std::uint64_t local =
                    as_traced.memory - before * gpu_program::warp_lanes * as_traced.local;
                std::uint64_t position = 0;
                for (gpu_program::WarpStreamReader reader(out.warps[w], position); reader.next(op);)
                    on_op(op, local);
            }
        }
    }
}

std::string show(std::uint64_t n) { return std::to_string(n); }
std::string show_time(const TraceReader& reader, std::int64_t t) {
    if (!reader.timed()) return "";
    return reader.in_time_units() ? Text<Time>::show(Time {t}) : std::to_string(t) + " cycles";
}

/// A time counted from the first record, converted to the file's own time.
std::string show_absolute(const TraceReader& reader, std::int64_t t) {
    std::int64_t whole = 0;
    if (!__builtin_mul_overflow(reader.origin(), reader.unit(), &whole) &&
        !__builtin_add_overflow(whole, t, &whole))
        return show_time(reader, whole);
    return show_time(reader, t) + " after " + show(static_cast<std::uint64_t>(reader.origin())) +
           " units";
}

TraceFacts accelsim_info(const std::string& path) {
    std::uint64_t launches = 0, blocks = 0, warp = 0, thread = 0, loads = 0, stores = 0,
                  atomics = 0, in_shared = 0;
    play(
        path,
        [&](const gpu_program::Launch& l) {
            ++launches;
            blocks += l.blocks();
        },
        [&](const gpu_program::WarpOp& op, std::uint64_t) {
            using enum gpu_program::WarpOpKind;
            warp += op.instructions;
            thread += op.thread_instructions();
            loads += op.kind == load;
            stores += op.kind == store;
            atomics += op.kind == atomic || op.kind == reduce;
            in_shared += op.kind == shared;
        });
    return {{"format", "accelsim"},
            {"launches", show(launches)},
            {"blocks", show(blocks)},
            {"warp instructions", show(warp)},
            {"thread instructions", show(thread)},
            {"warp loads", show(loads)},
            {"warp stores", show(stores)},
            {"warp atomics", show(atomics)},
            {"warp accesses to shared memory", show(in_shared)}};
}

/// Reads a record as a player sends it. Returns false at the end.
bool next_access(TraceReader& reader, TraceRecord& r) {
    if (!reader.next(r)) return false;
    if (!reader.sized()) r.address -= r.address % r.bytes;
    return true;
}

/// Calls f for each record of either kind of trace.
template <class F>
void for_each_record(const std::string& path, const TraceOptions& options, F&& f) {
    if (!is_accelsim(path)) {
        const auto reader = open_trace(path, options);
        for (TraceRecord r; next_access(*reader, r) && f(r, reader->contents());)
            ;
        return;
    }
    bool more = true;
    play(
        path, [](const auto&) {},
        [&](gpu_program::WarpOp& op, std::uint64_t local) {
            if (!more || !touches_memory(op.kind)) return;
            gpu_program::for_each_row(
                op, local, gpu_program::local_row_bytes, [&](const gpu_program::WarpOp& row) {
                    std::array<std::uint64_t, 64> sectors;
                    std::size_t n = 0;
                    for (std::uint32_t rest = row.mask; rest; rest &= rest - 1) {
                        const std::uint64_t a =
                            row.address[static_cast<unsigned>(std::countr_zero(rest))];
                        for (std::uint64_t s = a / 32; s <= (a + row.width - 1) / 32; ++s)
                            if (std::find(sectors.begin(), sectors.begin() + n, s) ==
                                sectors.begin() + n)
                                sectors[n++] = s;
                    }
                    for (std::size_t i = 0; i < n && more; ++i) {
                        TraceRecord r;
                        r.address = sectors[i] * 32;
                        r.bytes = 32;
                        r.pc = row.pc;
                        r.command =
                            row.kind == gpu_program::WarpOpKind::load    ? TraceCommandKind::read
                            : row.kind == gpu_program::WarpOpKind::store ? TraceCommandKind::write
                                                                         : TraceCommandKind::atomic;
                        more = f(r, std::string_view());
                    }
                });
        });
}

} // namespace

TraceFacts trace_info(const std::string& path, const TraceOptions& options) {
    if (is_accelsim(path)) return accelsim_info(path);
    // Times are counted from the first record, so that dates can be handled, too.
    TraceOptions from_first = options;
    from_first.from_first = true;
    const auto reader = open_trace(path, from_first);
    std::array<std::uint64_t, 3> count {};
    std::uint64_t n = 0, bytes = 0, lowest = ~std::uint64_t {0}, highest = 0;
    std::int64_t first = 0, last = 0;
    for (TraceRecord r;
         next_access(*reader, r);) { // records of a file need not be in order of time
        if (n++ == 0) first = last = r.time;
        last = std::max(last, r.time);
        ++count[static_cast<std::size_t>(r.command)];
        bytes += r.bytes;
        lowest = std::min(lowest, r.address);
        const std::uint64_t end = r.address + (r.bytes - 1);
        highest = std::max(highest, end < r.address ? ~std::uint64_t {0} : end);
    }
    TraceFacts facts {{"format", reader->format}};
    for (const auto& fact : reader->about()) facts.push_back(fact);
    facts.insert(facts.end(), {{"records", show(n)},
                               {"reads", show(count[0])},
                               {"writes", show(count[1])},
                               {"atomics", show(count[2])},
                               {"bytes", show(bytes)}});
    if (n == 0) return facts;
    facts.push_back({"addresses", fmt::format("0x{:x} to 0x{:x}", lowest, highest)});
    if (reader->timed()) {
        facts.push_back({"first time", show_absolute(*reader, first)});
        facts.push_back({"last time", show_absolute(*reader, last)});
    }
    return facts;
}

std::vector<std::vector<std::string>> trace_head(const std::string& path,
                                                 const TraceOptions& options, std::uint64_t n) {
    std::vector<std::vector<std::string>> rows;
    if (is_accelsim(path)) {
        rows.push_back({"launch", "kernel", "grid", "block", "registers", "shared"});
        TraceSource source(path, as_traced);
        gpu_program::Launch l;
        gpu_program::BlockStreams out;
        while (rows.size() <= n && source.next_launch(l)) {
            rows.push_back({show(rows.size()), l.kernel,
                            fmt::format("{},{},{}", l.grid[0], l.grid[1], l.grid[2]),
                            fmt::format("{},{},{}", l.block[0], l.block[1], l.block[2]),
                            show(l.registers_per_thread), show(l.shared_bytes)});
            if (rows.size() > n) break;
            for (std::uint32_t b = 0; b < l.blocks(); ++b) source.run_block(b, out);
        }
        return rows;
    }
    rows.push_back({"time", "command", "address", "bytes", "pc", "warp", "application"});
    const auto reader = open_trace(path, options);
    for (TraceRecord r; rows.size() <= n && next_access(*reader, r);)
        rows.push_back({show_time(*reader, r.time), Text<TraceCommandKind>::show(r.command),
                        fmt::format("0x{:x}", r.address), show(r.bytes),
                        fmt::format("0x{:x}", r.pc), show(r.warp), show(r.application)});
    return rows;
}

namespace {

/// What the records of a trace have besides addresses.
struct Kept {
    bool timed = false, contents = false;
};

Kept kept_in(const std::string& from, const TraceOptions& options) {
    if (is_accelsim(from)) return {};
    const auto reader = open_trace(from, options);
    if (reader->timed() && !reader->in_time_units())
        throw ConfigError(from + ": does not state its time unit: give it "
                                 "(--unit, such as the period of its clock)");
    Kept kept {reader->timed(), false};
    for (const auto& [name, value] : reader->about())
        kept.contents |= name == "contents" && value == "yes";
    return kept;
}

} // namespace

std::uint64_t trace_convert(const std::string& from, const TraceOptions& options,
                            const TraceSelection& selection, const std::string& to,
                            TraceOutputFormat format, Time cycle) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (fs::equivalent(from, to, error))
        throw ConfigError(to + ": is also the input: name another output file");
    const Kept kept = kept_in(from, options);
    if (!kept.timed && (selection.from.raw > 0 || selection.until.raw > 0))
        throw ConfigError(from + ": has no times to select by: select by records");
    const bool keep_contents = kept.contents && format == TraceOutputFormat::memsim;
    const auto encoder = make_encoder(format, to, cycle);
    // Written under a temporary name first, so that an input error leaves no incomplete trace.
    const std::string partial = to + ".partial";
    std::uint64_t written = 0, seen = 0;
    try {
        TraceOutput output(partial);
        std::string bytes, held;
        std::vector<TraceRecord> batch;
        const auto flush = [&] {
            if (!batch.empty()) {
                encoder->batch(batch, held, bytes);
                written += batch.size();
                batch.clear();
                held.clear();
            }
            output.append(bytes);
            bytes.clear();
        };
        encoder->head({fs::path(from).filename().string(), kept.timed, keep_contents}, bytes);
        for_each_record(from, options, [&](const TraceRecord& r, std::string_view data) {
            const std::uint64_t number = seen++;
            if (number >= selection.first && number - selection.first >= selection.count)
                return false;
            if (selection.until.raw > 0 && r.time >= selection.until.raw) return false;
            if (number < selection.first || (kept.timed && r.time < selection.from.raw))
                return true;
            if (batch.size() >= batch_records || held.size() + data.size() > batch_contents)
                flush();
            batch.push_back(r);
            if (keep_contents) held.append(data);
            return true;
        });
        flush();
        encoder->end(written, bytes);
        output.append(bytes);
    } catch (...) {
        fs::remove(partial, error);
        throw;
    }
    if (fs::rename(partial, to, error); error) {
        const std::string why = error.message();
        fs::remove(partial, error);
        throw ConfigError(to + ": cannot be written (" + why + "): name a file");
    }
    return written;
}

} // namespace memsim::workload
