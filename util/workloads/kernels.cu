// The CUDA text that the instruction counts of src/workload are taken from; see
// docs/models/workloads.md. It is compiled to machine code, counted, and never run:
//   nvcc -std=c++17 -arch=sm_80 -cubin -Xptxas -v kernels.cu

using u32 = unsigned int;
constexpr u32 unseen = 0xffffffffu;

__device__ u32 thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void bfs_initialize(u32* level, u32 vertices, u32 source) {
    u32 v = thread();
    if (v < vertices)
        level[v] = v == source ? 0 : unseen;
}

extern "C" __global__ void bfs_topology(const u32* row, const u32* col, u32* level,
                                        unsigned char* changed, u32 vertices, u32 current) {
    u32 v = thread();
    if (v >= vertices)
        return;
    if (level[v] == current) {
        u32 end = row[v + 1];
#pragma unroll 1
        for (u32 e = row[v]; e < end; ++e) {
            u32 d = col[e];
            if (level[d] == unseen) {
                level[d] = current + 1;
                *changed = 1;
            }
        }
    }
}

extern "C" __global__ void bfs_data(const u32* row, const u32* col, u32* level, const u32* in,
                                    u32 in_count, u32* out, u32* out_count, u32 current) {
    u32 t = thread();
    if (t >= in_count)
        return;
    u32 v = in[t];
    u32 end = row[v + 1];
#pragma unroll 1
    for (u32 e = row[v]; e < end; ++e) {
        u32 d = col[e];
        if (level[d] == unseen && atomicCAS(&level[d], unseen, current + 1) == unseen)
            out[atomicAdd(out_count, 1)] = d;
    }
}

extern "C" __global__ void pagerank_initialize(u32* rank, u32* next, u32 vertices, u32 first) {
    u32 v = thread();
    if (v < vertices) {
        rank[v] = first;
        next[v] = 0;
    }
}

extern "C" __global__ void pagerank_scatter(const u32* row, const u32* col, const u32* rank,
                                            u32* next, u32 vertices) {
    u32 v = thread();
    if (v >= vertices)
        return;
    u32 begin = row[v];
    u32 end = row[v + 1];
    if (begin < end) {
        u32 share = rank[v] / (end - begin);
#pragma unroll 1
        for (u32 e = begin; e < end; ++e)
            atomicAdd(&next[col[e]], share);
    }
}

// Q1.31: damping is 0.85 in Q0.32, so the high word of the product is the damped rank.
extern "C" __global__ void pagerank_gather(u32* rank, u32* next, unsigned char* changed,
                                           u32 vertices, u32 teleport, u32 damping,
                                           u32 threshold) {
    u32 v = thread();
    if (v >= vertices)
        return;
    u32 fresh = teleport + __umulhi(next[v], damping);
    u32 old = rank[v];
    rank[v] = fresh;
    next[v] = 0;
    u32 difference = fresh > old ? fresh - old : old - fresh;
    if (difference > threshold)
        *changed = 1;
}
