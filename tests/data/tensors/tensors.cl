// Tensors whose strides in bytes are arguments of 64 bits, as in libraries of machine learning.
kernel void strided(global char *out, int n, ulong nb0, ulong nb1, ulong nb2) {
    global char *row = out + get_group_id(1) * nb2 + get_group_id(0) * nb1;
    for (int i = get_local_id(0); i < n; i += get_local_size(0))
        *(global float *)(row + i * nb0) = 1.0f;
}

kernel void tensor(global char *out, int n0, int n1, ulong nb0, ulong nb1, ulong nb2) {
    int i0 = get_global_id(0), i1 = get_global_id(1), i2 = get_global_id(2);
    if (i0 < n0 && i1 < n1)
        *(global float *)(out + i2 * nb2 + i1 * nb1 + i0 * nb0) = 1.0f;
}
