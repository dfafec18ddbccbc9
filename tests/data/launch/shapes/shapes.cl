struct Pair { int a; char b; long c; float f[3]; };
__attribute__((reqd_work_group_size(16, 2, 1)))
kernel void many(struct Pair s, local int *l, global int *g, int4 v, read_only image2d_t im, char3 c)
{
    l[get_local_id(0)] = s.a + s.b + v.x;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 f = read_imageui(im, (int2)(v.x, v.y));
    g[get_global_id(0)] = l[get_local_id(0) ^ 1] + (int)s.c + (int)s.f[1] + v.w + (int)f.x + c.y
        + get_work_dim() + get_num_groups(0);
}
kernel void group_only(global int *g, int n) { g[get_group_id(0)] = n; }
