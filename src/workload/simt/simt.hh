#pragma once

#include "workload/device_memory.hh"
#include "workload/simt/copies.hh"

#include <deque>
#include <functional>

/// SIMT kernels in C++. A kernel is written per warp, over lanes. Running it changes the device
/// arrays and writes the warp's instruction stream. Each access is named by a site (an enumerator),
/// which determines its PC. Instructions between accesses are counted by the rule of
/// docs/models/workloads.md, or stated by compute(n) if machine code was counted. Not modelled:
/// instruction fetch, independent thread scheduling, local memory.
namespace memsim::workload {

using gpu_program::BlockStreams;
using gpu_program::KernelSource;
using gpu_program::Launch;
using gpu_program::WarpOpKind;

/// Instruction costs of the counting rule, derived from sm_80 machine code
/// (docs/models/workloads.md).
namespace rule {
inline constexpr u32 prologue = 1;       ///< of a kernel: the stack pointer
inline constexpr u32 thread_number = 3;  ///< two special registers and a product
inline constexpr u32 address = 2;        ///< of a global access: a wide product and its constants
inline constexpr u32 shared_address = 1; ///< 32 bits
inline constexpr u32 branch = 1;
inline constexpr u32 expected_bytes = 1; ///< of a bulk copy: an arrival at its barrier
inline constexpr u32 reconvergence = 2;  ///< of a loop that lanes leave at different times
inline constexpr u32 loop_round = 3;     ///< of a uniform loop: count, compare, branch
inline constexpr u32 division = 20;      ///< of integers; sm_80 has none
inline constexpr u32 float_division = 9;
inline constexpr u32 square_root = 8;
inline constexpr u32 exponential = 4;
} // namespace rule

/// A block of a launch while it runs.
struct BlockRun {
    const Launch& launch;
    u32 kernel = 0; ///< number of the kernel within its application: the upper part of each PC
    u32 block = 0;
    u64 operation_limit = 0;
    bool by_rule = true; ///< selects how instructions are counted
    BlockStreams& out;
};

[[noreturn]] void over_operation_limit(const BlockRun& run);

/// The bits of a stored value.
template <class T>
u64 bits_of(T value) {
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<u32>(value);
    else if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<u64>(value);
    else
        return static_cast<std::make_unsigned_t<T>>(value); // in the width of the stored type
}

/// An array in a block's shared memory: 32 banks of 4 bytes.
template <class T>
struct Shared {
    u32 base = 0;
    T* data = nullptr;
    u32 size = 0;
};

inline constexpr u32 shared_bytes_a_cycle = 128; ///< of all 32 banks
/// The cycles in which 32 banks serve these lanes: the maximum number of different words of one
/// bank.
u32 bank_passes(Mask lanes, const std::array<u32, warp_lanes>& address, u32 width);

/// A warp while it runs. Operations act on the active lanes, which if_ and while_ restrict.
class Warp : public CopyFlow {
  public:
    Warp(BlockRun& run, u32 index, Mask threads);

    u32 index() const { return index_; } ///< its number within the block
    const Launch& launch() const { return run_.launch; }
    /// The number of each lane's thread in the grid, along x, y or z.
    Lanes<u32> x() { return number(0, true); }
    Lanes<u32> y() { return number(1, true); }
    Lanes<u32> z() { return number(2, true); }
    /// For a grid of one dimension.
    Lanes<u32> thread() { return x(); }
    /// The number within the block.
    Lanes<u32> tx() { return number(0, false); }
    Lanes<u32> ty() { return number(1, false); }
    Lanes<u32> tz() { return number(2, false); }
    /// The number within the warp: 0 to 31.
    Lanes<u32> lane();
    /// The number of the block, along x, y or z.
    u32 bx() const { return block_[0]; }
    u32 by() const { return block_[1]; }
    u32 bz() const { return block_[2]; }

    /// Adds counted machine instructions. No effect in a kernel that is counted by the rule.
    void compute(u32 n) {
        if (!by_rule_ && active_ != 0) stream_.compute(active_, n, take(0));
    }
    /// Adds instructions by the rule that no operator represents.
    void extra(u32 n) { use(n, 0); }

    // ---- device memory. `plus` is a constant added to the index at no cost.
    template <class Site, class T>
    Lanes<T> load(Site site, const Array<T>& array, const Lanes<u32>& index, u32 plus = 0) {
        Lanes<T> loaded;
        emit<Site, T>(WarpOpKind::load, site, array, index, plus, nullptr);
        for_active([&](u32 i) { loaded[i] = array.data[index[i] + plus]; });
        return with_result(loaded);
    }
    template <class Site, class T>
    void store(Site site, const Array<T>& array, const Lanes<u32>& index, const Lanes<T>& value,
               u32 plus = 0) {
        emit(WarpOpKind::store, site, array, index, plus, &value);
        for_active([&](u32 i) { array.data[index[i] + plus] = value[i]; });
    }
    template <class Site, class T>
    void store(Site site, const Array<T>& array, const Lanes<u32>& index,
               std::type_identity_t<T> value) {
        store(site, array, index, Lanes<T>(value));
    }
    /// Executes the lanes in ascending order: stores becomes(old value, lane). Returns the old
    /// values.
    template <class Site, class T, class F, class... Operands>
    Lanes<T> atomic(Site site, const Array<T>& array, const Lanes<u32>& index, F becomes,
                    const Operands&... operands) {
        Lanes<T> before = change(WarpOpKind::atomic, site, array, index, becomes, operands...);
        return with_result(before);
    }
    /// The same without returning old values: the warp does not wait.
    template <class Site, class T, class F, class... Operands>
    void reduce(Site site, const Array<T>& array, const Lanes<u32>& index, F becomes,
                const Operands&... operands) {
        change(WarpOpKind::reduce, site, array, index, becomes, operands...);
    }
    template <class Site, class T>
    Lanes<T> atomic_add(Site site, const Array<T>& array, const Lanes<u32>& index,
                        const Lanes<T>& term) {
        return atomic(site, array, index, add(term), term);
    }
    template <class Site, class T>
    void reduce_add(Site site, const Array<T>& array, const Lanes<u32>& index,
                    const Lanes<T>& term) {
        reduce(site, array, index, add(term), term);
    }
    template <class Site, class T>
    Lanes<T> atomic_min(Site site, const Array<T>& array, const Lanes<u32>& index,
                        const Lanes<T>& with) {
        return atomic(site, array, index, least(with), with);
    }
    template <class Site, class T>
    void reduce_min(Site site, const Array<T>& array, const Lanes<u32>& index,
                    const Lanes<T>& with) {
        reduce(site, array, index, least(with), with);
    }
    template <class Site, class T>
    Lanes<T> atomic_cas(Site site, const Array<T>& array, const Lanes<u32>& index,
                        std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
        return atomic(site, array, index,
                      [=](T old, u32) { return old == expected ? desired : old; });
    }
    template <class Site, class T>
    Lanes<T> atomic_exchange(Site site, const Array<T>& array, const Lanes<u32>& index,
                             const Lanes<T>& with) {
        return atomic(
            site, array, index, [&](T, u32 i) { return with[i]; }, with);
    }
    /// Adds one to a single counter for each active lane, as compilers do: the lowest active lane
    /// adds the number of lanes, then each lane computes its own place.
    template <class Site>
    Lanes<u32> atomic_count(Site site, const Array<u32>& counter) {
        Lanes<u32> place;
        if (active_ == 0) return place;
        const Mask lanes = active_;
        const u32 first = std::countr_zero(lanes);
        active_ = Mask {1} << first;
        const Lanes<u32> before = atomic_add(site, counter, Lanes<u32> {},
                                             Lanes<u32>(static_cast<u32>(std::popcount(lanes))));
        active_ = lanes;
        u32 next = before[first];
        for_active([&](u32 i) { place[i] = next++; });
        place.flow = this;
        place.needs = before.needs;
        return place;
    }

    // ---- shared memory
    template <class Site, class T>
    Lanes<T> load(Site site, const Shared<T>& array, const Lanes<u32>& index, u32 plus = 0) {
        Lanes<T> loaded;
        emit_shared<Site, T>(site, array, index, plus, nullptr);
        for_active([&](u32 i) { loaded[i] = array.data[index[i] + plus]; });
        return with_result(loaded);
    }
    template <class Site, class T>
    void store(Site site, const Shared<T>& array, const Lanes<u32>& index, const Lanes<T>& value,
               u32 plus = 0) {
        emit_shared(site, array, index, plus, &value);
        for_active([&](u32 i) { array.data[index[i] + plus] = value[i]; });
    }

    /// Copies from device to shared memory without registers (cp.async).
    template <class Site, class T>
    void copy(Site site, const Shared<T>& to, const Lanes<u32>& place, const Array<T>& from,
              const Lanes<u32>& index, const CopyShape& shape = {}) {
        if (active_ == 0) return;
        const u32 width = shape.bytes<T>();
        check(from.size, index, shape.plus + shape.elements - 1);
        check(to.size, place, shape.to_plus + shape.elements - 1);
        if (shape.plus == 0) use(rule::address, open(index.needs));
        if (shape.to_plus == 0) use(rule::shared_address, open(place.needs));
        std::array<u64, warp_lanes> address {};
        for_active([&](u32 i) {
            address[i] = from.base + sizeof(T) * (u64 {index[i]} + shape.plus);
            group_.data.add_from(from, address[i], &to.data[place[i] + shape.to_plus], width);
        });
        copy_lanes(pc_of(static_cast<u32>(site)), width, address, index.needs | place.needs);
        if (run_.out.counts.operations > run_.operation_limit) over_operation_limit(run_);
    }
    /// One thread has the copy engine copy a tile (cp.async.bulk); the barrier counts its bytes.
    template <class Site, class T>
    void bulk_copy(Site site, TransactionBarrier& barrier, const Shared<T>& to, u32 place,
                   const Array<T>& from, u64 index, const TileShape& tile) {
        const auto copy = barrier.expect(to, place, from, index, tile);
        use(rule::expected_bytes, 0);
        stream_.bulk_copy(pc_of(static_cast<u32>(site)), active_ & (0 - active_), copy, take(0));
        new_result();
    }

    /// Operands of a matrix operation, as ldmatrix reads them: 16 bytes in each lane. The result
    /// stands for the dependence; the kernel computes with the array's elements.
    template <class Site>
    Lanes<u64> load_fragment(Site site, const Shared<u64>& array, const Lanes<u32>& index,
                             u32 plus) {
        emit_shared<Site, u64>(site, array, index, plus, nullptr, 16);
        Lanes<u64> loaded;
        return with_result(loaded);
    }

    // ---- control flow
    template <class Body>
    void if_(Cond condition, Body body) {
        use(rule::branch, 0);
        within(condition.mask, body);
    }
    template <class Then, class Else>
    void if_(Cond condition, Then then, Else otherwise) {
        use(rule::branch, 0);
        within(condition.mask, then);
        within(~condition.mask, otherwise);
    }
    /// `condition()` returns the lanes that iterate again; a lane that has left stays inactive.
    template <class Condition, class Body>
    void while_(Condition condition, Body body) {
        const Mask outer = active_;
        use(rule::reconvergence, 0);
        const auto again = [&] {
            const Cond holds = condition();
            use(rule::branch, 0);
            active_ &= holds.mask;
            return active_ != 0;
        };
        while (again()) body();
        active_ = outer;
    }
    /// Iterates from `first` to `last` (excluded) in steps, with a separate number of iterations
    /// per lane.
    template <class Body>
    void for_(const Lanes<u32>& first, const Lanes<u32>& last, Body body, u32 step = 1) {
        Lanes<u32> i = first;
        while_([&] { return i < last; },
               [&] {
                   body(i);
                   i = i + step;
               });
    }
    /// All lanes iterate `n` times.
    template <class Body>
    void repeat(u32 n, Body body) {
        if (active_ == 0) return;
        for (u32 k = 0; k < n; ++k) {
            body(k);
            use(rule::loop_round, 0);
        }
    }

    // ---- other instructions
    // Computes f(lane) for each active lane and counts `instructions` that use these registers, for
    // operations without an operator, such as a division.
    template <class T, class F, class... Operands>
    Lanes<T> apply(u32 instructions, F f, const Operands&... operands) {
        use(instructions, (u64 {0} | ... | open(operands.needs)));
        Lanes<T> lanes;
        lanes.flow = this;
        for_active([&](u32 i) { lanes[i] = f(i); });
        return lanes;
    }
    Lanes<u32> divide(const Lanes<u32>& a, const Lanes<u32>& b) {
        return apply<u32>(
            rule::division, [&](u32 i) { return a[i] / b[i]; }, a, b);
    }
    Lanes<float> divide(const Lanes<float>& a, const Lanes<float>& b) {
        return apply<float>(
            rule::float_division, [&](u32 i) { return a[i] / b[i]; }, a, b);
    }
    /// Correctly rounded and therefore identical on all machines.
    Lanes<float> square_root(const Lanes<float>& a) {
        return apply<float>(
            rule::square_root, [&](u32 i) { return std::sqrt(a[i]); }, a);
    }
    /// The value of another lane: shuffle.
    template <class T, class F>
    Lanes<T> shuffle(const Lanes<T>& a, F from_lane) {
        return apply<T>(
            1, [&](u32 i) { return a[from_lane(i) & 31]; }, a);
    }
    /// Whether the condition holds in any active lane, with the same result for all: vote.
    bool any(Cond condition) {
        use(1, 0);
        return (condition.mask & active_) != 0;
    }
    /// A register of f(lane) at no cost, for constants.
    template <class T, class F>
    Lanes<T> map(F f) const {
        Lanes<T> lanes;
        for_active([&](u32 i) { lanes[i] = f(i); });
        return lanes;
    }
    template <class F>
    void for_active(F f) const {
        if (active_ == all_active)
            for (u32 i = 0; i < warp_lanes; ++i) f(i);
        else
            for (Mask rest = active_; rest != 0; rest &= rest - 1)
                f(static_cast<u32>(std::countr_zero(rest)));
    }

    /// A matrix operation on a tensor core: `sum`, whose values the kernel has computed, becomes
    /// its result and needs `operands`. `products`: multiply-accumulates of 16-bit values of the
    /// warp.
    template <class T, class... Operands>
    void matrix(u32 products, Lanes<T>& sum, const Operands&... operands) {
        MEMSIM_ASSERT(active_ == threads_, "a matrix operation is one of all threads of a warp");
        stream_.matrix(active_, products, take((open(sum.needs) | ... | open(operands.needs))));
        sum.flow = this;
        sum.needs = new_result();
    }
    /// The same with operands in shared memory, as wgmma reads them: `bytes` of them for this warp.
    template <class T>
    void matrix_of_shared(u32 products, u32 bytes, Lanes<T>& sum) {
        MEMSIM_ASSERT(active_ == threads_, "a matrix operation is one of all threads of a warp");
        const u32 passes = (bytes + shared_bytes_a_cycle - 1) / shared_bytes_a_cycle;
        stream_.matrix(active_, products, take(open(sum.needs)), passes);
        sum.flow = this;
        sum.needs = new_result();
    }
    void barrier() { stream_.barrier(threads_, take(0)); }
    void exit() { stream_.exit(threads_, take(0)); }

  private:
    Lanes<u32> number(u32 dimension, bool in_grid);

    template <class Body>
    void within(Mask condition, Body& body) {
        const Mask outer = active_;
        active_ &= condition;
        if (active_ != 0) body();
        active_ = outer;
    }
    template <class T>
    static auto add(const Lanes<T>& term) {
        return [&](T old, u32 i) { return static_cast<T>(old + term[i]); };
    }
    template <class T>
    static auto least(const Lanes<T>& with) {
        return [&](T old, u32 i) { return with[i] < old ? with[i] : old; };
    }
    template <class T>
    Lanes<T>& with_result(Lanes<T>& loaded) {
        loaded.flow = this;
        if (active_ != 0) loaded.needs = new_result();
        return loaded;
    }
    template <class Site, class T, class F, class... Operands>
    Lanes<T> change(WarpOpKind kind, Site site, const Array<T>& array, const Lanes<u32>& index,
                    F becomes, const Operands&... operands) {
        check(array.size, index, 0);
        Lanes<T> before, after;
        for_active([&](u32 i) {
            T& at = array.data[index[i]];
            before[i] = at;
            after[i] = at = becomes(at, i);
        });
        owed_ |= (u64 {0} | ... | open(operands.needs));
        emit(kind, site, array, index, 0, &after);
        return before;
    }
    void check(u64 size, const Lanes<u32>& index, u32 plus) const {
        const u64 left = size > plus ? size - plus : 0;
        if (left >> 32 != 0) return;
        const Cond past = detail::holds(index, static_cast<u32>(left), std::greater_equal {});
        MEMSIM_ASSERT((past.mask & active_) == 0, "a kernel indexes past the end of an array");
    }
    template <class Site, class T>
    void emit(WarpOpKind kind, Site site, const Array<T>& array, const Lanes<u32>& index, u32 plus,
              const Lanes<T>* value) {
        if (active_ == 0) return;
        check(array.size, index, plus);
        if (plus == 0) use(rule::address, open(index.needs));
        std::array<u64, warp_lanes> address, values;
        const u64 base = array.base + sizeof(T) * u64 {plus};
        for (u32 i = 0; i < warp_lanes; ++i) address[i] = base + sizeof(T) * u64 {index[i]};
        const bool with_values = run_.out.with_values && value != nullptr;
        if (with_values) for_active([&](u32 i) { values[i] = bits_of((*value)[i]); });
        const u64 waits = open(index.needs) | (value ? open(value->needs) : 0);
        stream_.access(kind, pc_of(static_cast<u32>(site)), active_, sizeof(T), address,
                       with_values ? &values : nullptr, take(waits));
        if (run_.out.counts.operations > run_.operation_limit) over_operation_limit(run_);
    }
    template <class Site, class T>
    void emit_shared(Site site, const Shared<T>& array, const Lanes<u32>& index, u32 plus,
                     const Lanes<T>* value, u32 width = sizeof(T)) {
        if (active_ == 0) return;
        check(array.size, index, plus);
        if (plus == 0) use(rule::shared_address, open(index.needs));
        std::array<u32, warp_lanes> address;
        for_active([&](u32 i) {
            address[i] = array.base + static_cast<u32>(sizeof(T)) * (index[i] + plus);
        });
        const u64 waits = open(index.needs) | (value ? open(value->needs) : 0);
        stream_.shared(pc_of(static_cast<u32>(site)), active_, bank_passes(active_, address, width),
                       value == nullptr, take(waits));
        if (run_.out.counts.operations > run_.operation_limit) over_operation_limit(run_);
    }
    /// Kernels are 4 KiB apart, sites 16 bytes: a machine instruction since Volta.
    u32 pc_of(u32 site) const { return run_.kernel << 12 | site << 4; }

    BlockRun& run_;
    u32 index_;
    Mask threads_;
    std::array<u32, 3> block_;
};

/// A block while it runs. Its warps execute each phase one after the other and synchronise at
/// barriers. Code outside each() is executed alike by all threads of the block, including loops
/// over barriers.
class Block {
  public:
    explicit Block(BlockRun run);
    Block(const Block&) = delete; ///< warps refer to its address

    u32 x() const { return warps_.front().bx(); }
    u32 y() const { return warps_.front().by(); }
    u32 z() const { return warps_.front().bz(); }
    u32 warps() const { return static_cast<u32>(warps_.size()); }

    template <class Body>
    void each(Body body) {
        for (Warp& w : warps_) body(w);
    }
    void barrier() { // __syncthreads()
        for (Warp& w : warps_) w.barrier();
    }
    /// An array in the block's shared memory, initialised to 0.
    template <class T>
    Shared<T> shared(u32 size) {
        const Shared<T> array {shared_bytes_, static_cast<T*>(reserve(size * sizeof(T))), size};
        return array;
    }
    /// A barrier for bulk copies and arrivals; it occupies 8 bytes of shared memory.
    TransactionBarrier& transaction_barrier() {
        reserve(sizeof(u64));
        barriers_.push_back(std::make_unique<TransactionBarrier>());
        barriers_.back()->number = static_cast<u32>(barriers_.size() - 1);
        return *barriers_.back();
    }
    void end();

  private:
    void* reserve(u64 bytes);

    BlockRun run_;
    std::vector<Warp> warps_;
    std::vector<std::unique_ptr<u64[]>> shared_;
    std::vector<std::unique_ptr<TransactionBarrier>> barriers_;
    u32 shared_bytes_ = 0;
};

/// Registers that keep their values across barriers, one per warp.
template <class T>
class Registers {
  public:
    explicit Registers(const Block& block, T value = {}) : all_(block.warps(), Lanes<T>(value)) {}
    Lanes<T>& operator[](const Warp& w) {
        Lanes<T>& mine = all_[w.index()];
        mine.flow = const_cast<Warp*>(&w);
        return mine;
    }

  private:
    std::vector<Lanes<T>> all_;
};

} // namespace memsim::workload
