// Kernels that index with 64 bits, which are multiplied 32 bits at a time.
kernel void triples(global float *out, const global float *in, uint n) {
    size_t i = get_global_id(0);
    if (i < n)
        out[i] = in[3 * i] + in[3 * i + 2];
}

kernel void beyond(global float *out, const global float *in, uint n) {
    size_t i = get_global_id(0);
    if (i < n)
        out[i] = in[3 * i + 3];
}
