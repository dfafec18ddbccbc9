// Kernels that take numbers of 64 bits apart, as those of SYCL do.
kernel void wide_transposed(global float *out, ulong w, ulong h) {
    ulong i = get_global_id(0);
    if (i < w * h)
        out[i % w * h + i / w] = 1.0f;
}

kernel void wide_quotient(global ulong *out, global const ulong *in, ulong d) {
    out[get_global_id(0)] = in[get_global_id(0)] / d;
}

kernel void wide_remainder(global ulong *out, global const ulong *in, ulong d) {
    out[get_global_id(0)] = in[get_global_id(0)] % d;
}

kernel void wide_rows(global float *out, ulong w, ulong pitch) {
    ulong i = get_global_id(0);
    out[i / w * pitch + i % w] = 1.0f;
}
