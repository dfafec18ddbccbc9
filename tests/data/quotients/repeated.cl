kernel void repeated(global const int *a, global int *out, uint n, uint period) {
    for (uint i = get_local_id(0); i < n; i += get_local_size(0))
        out[i] = a[i % period];
}
