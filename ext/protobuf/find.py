"""Protocol buffers: the envelope of checkpoints and traces."""
packages = "libprotobuf-dev protobuf-compiler"
headers = ["google/protobuf/message.h"]
programs = ["protoc"]
libs = ["protobuf"]
