/* C += A × B by sub-groups of 16: A has 8 × 16 halves, B 16 × 16 */
kernel __attribute__((intel_reqd_sub_group_size(16)))
void dpas_halves(global short8 *a, global int8 *b, global float8 *c)
{
    uint i = get_global_id(0);
    c[i] = intel_sub_group_f16_f16_matrix_mad_k16(a[i], b[i], c[i]);
}
