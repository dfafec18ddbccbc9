/* two scopes of inline vISA that declare the same names: the dump has them without braces */
kernel __attribute__((intel_reqd_sub_group_size(16)))
void scopes(global uint *a, global uint *b)
{
    uint i = get_global_id(0), x = a[i], y = b[i], p, q;
    __asm__ volatile("{\n.decl IN v_type=G type=ud num_elts=16 alias=<%1,0>\n.decl T v_type=G type=ud num_elts=16 align=GRF\n"
                     "add (M1, 16) T(0,0)<1> IN(0,0)<1;1,0> 0x1:ud\nshl (M1, 16) %0(0,0)<1> T(0,0)<1;1,0> 0x3:ud\n}\n" : "=rw"(p) : "rw"(x));
    __asm__ volatile("{\n.decl IN v_type=G type=ud num_elts=16 alias=<%1,0>\n.decl T v_type=G type=ud num_elts=16 align=GRF\n"
                     "mul (M1, 16) T(0,0)<1> IN(0,0)<1;1,0> 0x5:ud\nxor (M1, 16) %0(0,0)<1> T(0,0)<1;1,0> 0x7:ud\n}\n" : "=rw"(q) : "rw"(y));
    a[i] = q;
    b[i] = p;
}
