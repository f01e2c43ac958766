"""Google Benchmark, with its main()."""
packages = "libbenchmark-dev"
headers = ["benchmark/benchmark.h"]
libs = ["benchmark_main", "benchmark"]
part = "bench"
