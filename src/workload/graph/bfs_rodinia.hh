#pragma once

#include "workload/graph/graph_application.hh"

namespace memsim::workload {

/// Breadth-first search of Rodinia 2.0 (Che et al., IISWC'09). `Kernel` expands the vertices of a
/// mask and marks the vertices reached; `Kernel2` turns the marks into the next mask, until none is
/// left. Device memory is laid out as the program allocates it, and arcs keep the order of the
/// input. Arguments of compute() are those of its sm_80 code in an Accel-Sim trace of the original.
class RodiniaSearch {
  public:
    RodiniaSearch(const Options& options, DeviceMemory& memory);

    void expand(Warp& w) const;  ///< Kernel
    void advance(Warp& w) const; ///< Kernel2
    static constexpr u32 expand_registers = 21, advance_registers = 14, threads_per_block = 512;

    /// The host clears the flag before each pair of kernels and reads it afterwards.
    void begin_round() { over_[0] = 0; }
    bool ended() const { return over_[0] == 0; }
    u32 vertices() const { return vertices_; }
    const Array<u32>& cost() const { return cost_; } ///< arcs from the source to each vertex
    std::string difference() const;

  private:
    struct Input;
    RodiniaSearch(const Input& input, DeviceMemory& memory);

    u32 vertices_, source_;
    Array<u32> nodes_, edges_;
    Array<u8> mask_, updating_, visited_;
    Array<u32> cost_;
    Array<u8> over_;
};

} // namespace memsim::workload
