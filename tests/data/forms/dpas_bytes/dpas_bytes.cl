/* C += A × B by sub-groups of 16: A has 8 × 32 signed bytes, B 32 × 16 unsigned ones */
kernel __attribute__((intel_reqd_sub_group_size(16)))
void dpas_bytes(global short8 *a, global uint8 *b, global int8 *c)
{
    uint i = get_global_id(0);
    c[i] = intel_sub_group_i8_u8_matrix_mad_k32(a[i], b[i], c[i]);
}
