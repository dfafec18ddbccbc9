"""OpenCL C expressions that reach ALU opcodes, compiled by Intel's compilers and held against PoCL byte by byte."""
