"""Boost 1.74: containers, multiprecision, crc, preprocessor, program options, filtering streams."""
packages = "libboost-dev libboost-program-options-dev libboost-iostreams-dev"
headers = ["boost/version.hpp", "boost/program_options.hpp", "boost/iostreams/filter/zstd.hpp"]
libs = ["boost_program_options", "boost_iostreams"]
