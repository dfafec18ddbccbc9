// Sums of floats by bin: atomics that add and subtract floats (-cl-std=CL3.0).
#pragma OPENCL EXTENSION cl_ext_float_atomics : enable
kernel void float_sum(global const int *bin, global const float *w, global atomic_float *sum, global atomic_double *all, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    atomic_fetch_add_explicit(&sum[bin[i]], w[i], memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(all, (double)w[i], memory_order_relaxed, memory_scope_device);
}
