/* a register that is read at addresses: of 32 lanes at once on Xe3P */
kernel void shuffle(global int *a)
{
    uint i = get_global_id(0);
    int x = a[i];
    a[i] = intel_sub_group_shuffle(x, (i * 7) & 31);
}
