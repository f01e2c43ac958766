#include "oracle.hh"

namespace memsim::test::rigs_llm {

namespace {

const RigFor language_model {"workload.LanguageModel", [](Machine& m) {
                                 m.add("model", "workload.LanguageModel",
                                       {{"layers", "1"}, {"vocabulary", "40"}, {"tokens", "2"}});
                                 m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}});
                                 m.add("sm", "gpu.Sm", {});
                                 m.add("memory", "mem.SimpleMemory", {});
                                 m.bind("model", "dispatcher", "dispatcher", "host");
                                 m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
                                 m.bind("sm", "mem_side", "memory", "cpu_side");
                             }};

/// Two requests, whose prompts differ in length, to a model with experts.
const RigFor serving_engine {"workload.ServingEngine", [](Machine& m) {
                                 m.add("model", "workload.ServingEngine",
                                       {{"layers", "1"},
                                        {"vocabulary", "40"},
                                        {"experts", "3"},
                                        {"requests", "2"},
                                        {"prompt", "7"},
                                        {"prompt_spread", "4"},
                                        {"arrival_gap", "1"},
                                        {"tokens", "2"}});
                                 m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}});
                                 m.add("sm", "gpu.Sm", {{"tensor_cores", "1"}}); // one scheduler
                                 m.add("memory", "mem.SimpleMemory", {});
                                 m.bind("model", "dispatcher", "dispatcher", "host");
                                 m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
                                 m.bind("sm", "mem_side", "memory", "cpu_side");
                             }};

/// The same with two layers, whose experts are predicted.
const RigFor predicting {"workload.ServingEngine", [](Machine& m) {
                             m.add("model", "workload.ServingEngine",
                                   {{"layers", "2"},
                                    {"vocabulary", "40"},
                                    {"experts", "3"},
                                    {"requests", "2"},
                                    {"prompt", "5"},
                                    {"tokens", "2"},
                                    {"signal_channels", "3"}});
                             m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}});
                             m.add("sm", "gpu.Sm", {{"tensor_cores", "1"}});
                             m.add("memory", "mem.SimpleMemory", {});
                             m.bind("model", "dispatcher", "dispatcher", "host");
                             m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
                             m.bind("sm", "mem_side", "memory", "cpu_side");
                         }};

/// Two requests that grow in a cache of three blocks.
void evicting(Machine& m, const std::string& evict) {
    m.add("model", "workload.ServingEngine",
          {{"layers", "1"},
           {"vocabulary", "40"},
           {"requests", "2"},
           {"prompt", "15"},
           {"tokens", "4"},
           {"cache_blocks", "3"},
           {"evict", evict}});
    m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}});
    m.add("sm", "gpu.Sm", {{"tensor_cores", "1"}});
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("model", "dispatcher", "dispatcher", "host");
    m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
    m.bind("sm", "mem_side", "memory", "cpu_side");
}
const RigFor recomputing {"workload.ServingEngine", [](Machine& m) { evicting(m, "recompute"); }};
const RigFor swapping {"workload.ServingEngine", [](Machine& m) { evicting(m, "swap"); }};

} // namespace

} // namespace memsim::test::rigs_llm
