// A stack of 64 numbers in private memory: odd numbers are pushed, and an even one pops the last of them.
kernel void priv_stack(global const uint *in, global uint *out, uint n)
{
    uint stack[64];
    int top = 0;
    size_t item = get_global_id(0);
    for (uint i = 0; i < n; i++) {
        uint value = in[i * get_global_size(0) + item];
        if (value & 1) {
            if (top < 64)
                stack[top++] = value;
        } else if (top > 0)
            out[item] += stack[--top];
    }
    out[item] ^= top;
}
