"""The table of premises: what answers may rest on, and who grants it."""

from collections.abc import Mapping

from visaproof.launch.premise_rows import ALL, ONE_KERNEL, TWO_KERNELS, Grantor, PremiseRow
from visaproof.launch.premises_of_pairs import OF_PAIRS
from visaproof.launch.premises_of_runs import OF_RUNS


def _rows(*rows: PremiseRow) -> Mapping[str, PremiseRow]:
    found = {row.name: row for row in rows}
    assert len(found) == len(rows)
    return found


_IEEE = "--float uninterpreted"
_ZEBINS = "--launch FILE --launch-target FILE"
"""With a zebin each."""

PREMISES = _rows(
    PremiseRow(
        "ids",
        "the {simd} lanes of a thread have consecutive local_id_x, the first a multiple of {simd}, and equal "
        "local_id_y and local_id_z (as IGC lays them out where the local size in x is a multiple of {simd}, or "
        "y = z = 1)",
        Grantor.DRIVER, "the payload of IGC's kernels", ALL, "--assume none",
    ),
    PremiseRow(
        "width", "the {simd} lanes of this text are launched, and not the {stated} of the launch information",
        Grantor.NOBODY, "the compiler dumps each width that it tries, and keeps one", (*ALL, "run"),
    ),
    PremiseRow(
        "ids-below-size",
        "local sizes are at most {most}, and the local ids of lanes that are on are less than they are",
        Grantor.LANGUAGE, "OpenCL C: get_local_id is below get_local_size", ALL, "--assume ids,-ids-below-size",
    ),
    PremiseRow(
        "local-ids",
        "the lanes of a thread run consecutive work items of their group, thread after thread, of which the ids are "
        "{layout}; those of lanes that are off go on likewise",
        Grantor.DRIVER, "compute-runtime 26.31: isRuntimeLocalIdsGenerationRequired, generateLocalIDs", ALL,
        "--assume launch,-local-ids",
    ),
    PremiseRow(
        "local-size",
        "a group has at most {most} work items; the local size is at least 1, and local ids are below it",
        Grantor.DRIVER, "CL_DEVICE_MAX_WORK_GROUP_SIZE of Intel's devices", ALL, "--assume launch,-local-size",
    ),
    PremiseRow(
        "rows", "local ids are laid out in rows, as Level Zero does, and not in tiles, which differ between widths",
        Grantor.HOST, "the OpenCL driver lays out tiles for kernels with images and no buffers", TWO_KERNELS,
        "--host opencl",
    ),
    PremiseRow(
        "whole-groups", "every group has the local size {size}, the last one, too",
        Grantor.HOST, "OpenCL 2.0 allows smaller last groups without -cl-uniform-work-group-size", ALL,
        "--assume launch,-whole-groups",
    ),
    PremiseRow(
        "uniform-groups",
        "every group has the local size {size}, the last one, too: by its build options the program refuses others",
        Grantor.DRIVER, "CL_INVALID_WORK_GROUP_SIZE, with -cl-uniform-work-group-size and in OpenCL C 1.x", ALL,
    ),
    PremiseRow(
        "unread-dimensions", "the local size is 1 in {dimensions}, of which the kernel reads no local id",
        Grantor.HOST, "hosts launch as many dimensions as kernels have", ALL, "--assume launch,-unread-dimensions",
    ),
    PremiseRow(
        "global-ids",
        "the global offset is 0, global ids are below the global size, and a launch has at most 2^32 work items",
        Grantor.HOST, "hosts rarely set an offset, or launch more work items", ALL, "--assume launch,-global-ids",
    ),
    PremiseRow(
        "int-ids", "the global size is at most 2147483648 in each dimension, so that no global id is negative as `int`",
        Grantor.HOST, "hosts rarely launch more work items", ONE_KERNEL, "--assume launch,-int-ids",
    ),
    PremiseRow(
        "all-lanes", "a thread of the VectorCompiler is one work item, and starts with all lanes on",
        Grantor.COMPILER, "its SIMD instructions are no work items", ALL, "--assume launch,-all-lanes",
    ),
    PremiseRow(
        "bounded",
        "integer scalars passed by value and local sizes lie in 1..{most}, global id offsets are 0, and group ids are "
        "less than {groups}",
        Grantor.USER, "--assume bounded", ALL, "--assume ids",
    ),
    PremiseRow(
        "first-lanes",
        "the enabled lanes of a thread are its first ones, as where a group does not fill its last thread",
        Grantor.DRIVER, "local ids are numbered without gaps", ALL, "--assume launch,-first-lanes",
    ),
    PremiseRow(
        "full-sub-groups", "sub-groups that load, store or prefetch 2D blocks have all their {lanes} lanes",
        Grantor.LANGUAGE, "cl_intel_subgroup_2d_block_io: the behaviour of partial ones is undefined", ONE_KERNEL,
        "--assume launch,-full-sub-groups",
    ),
    PremiseRow(
        "private-apart", "private memory shares no byte with other memory, and the kernel stays inside it",
        Grantor.DRIVER, "private memory is an allocation of its own; that kernels stay inside is the language's rule",
        ALL,
    ),
    PremiseRow(
        "printf-apart", "the buffer of printf shares no byte with other buffers",
        Grantor.DRIVER, "compute-runtime: it is an allocation of its own", TWO_KERNELS,
    ),
    PremiseRow(
        "private-aligned", "private memory begins at a multiple of {alignment}",
        Grantor.DRIVER, "allocations begin at pages", TWO_KERNELS,
    ),
    PremiseRow(
        "private-slots",
        "the slot of hardware thread h has {size} bytes and begins {size}·h bytes behind the first; h is less than "
        "2^{bits}",
        Grantor.DRIVER, "private memory is divided by hardware threads; 2 GiB at most", ALL,
    ),
    PremiseRow(
        "private-2gib", "private memory of all hardware threads has at most 2 GiB: {thread} < 2^{bits}",
        Grantor.DRIVER, "private memory is divided by hardware threads; 2 GiB at most", ALL,
    ),
    PremiseRow(
        "private-sizes",
        "a thread has {source} bytes of private memory in the source, {target} in the target, and each stays inside",
        Grantor.COMPILER, "the zeinfo's per_thread_memory_buffers; bounds asks whether a kernel stays inside",
        TWO_KERNELS,
    ),
    PremiseRow(
        "scratch-size", "a thread has {size} bytes of private memory in {surface}, from 0 on, as the kernel says",
        Grantor.DRIVER, "the attributes of the kernel, or the zeinfo", ("bounds", "run"),
    ),
    PremiseRow(
        "scratch-sizes",
        "a thread has {source} bytes behind %scratch in the source, {target} in the target, and each stays inside",
        Grantor.COMPILER, "the zeinfo's per_thread_memory_buffers; bounds asks whether a kernel stays inside",
        TWO_KERNELS,
    ),
    PremiseRow(
        "slm-size", "a group has {size} bytes of shared local memory, as the launch says",
        Grantor.DRIVER, "the zeinfo's slm_size or the kernel's SLMSize, which the driver rounds up",
        ("bounds", *TWO_KERNELS, "run"),
    ),
    PremiseRow(
        "slm-sizes", "a group has {source} bytes of shared local memory in the source, and {target} in the target",
        Grantor.DRIVER, "the zeinfo's slm_size or the kernel's SLMSize, which the driver rounds up", TWO_KERNELS,
    ),
    PremiseRow(
        "slm-limit", "a group has at most {most} bytes of shared local memory",
        Grantor.DRIVER, "no device has more for a group", ("conflicts", *TWO_KERNELS), "--launch FILE",
    ),
    PremiseRow(
        "slm-alike", "a group of the target has as much shared local memory as one of the source",
        Grantor.USER, "a zebin of each program says it", TWO_KERNELS, _ZEBINS,
    ),
    PremiseRow(
        "samplers-alike", "the samplers {numbers} read alike in both programs",
        Grantor.USER, "a zebin of each program says it", TWO_KERNELS, _ZEBINS,
    ),
    PremiseRow(
        "launched-alike",
        "both kernels are launched alike: in groups of the same sizes, with the same at the same places of the payload "
        "and of the binding table, tables of constants too",
        Grantor.USER, "a zebin of each program says it", TWO_KERNELS, _ZEBINS,
    ),
    PremiseRow(
        "groups-fit",
        "groups that run with {source} registers a thread run with {target} of the target, too",
        Grantor.HOST, "a device has fewer threads where each has more registers, and refuses larger groups",
        TWO_KERNELS,
    ),
    PremiseRow(
        "slm-tag",
        "bit 28, which IGC sets in addresses of shared local memory, is no part of them, and no offset carries into it",
        Grantor.COMPILER, "the addresses in both corpora", ALL,
    ),
    PremiseRow(
        "stated-size", "{what} has {size} bytes",
        Grantor.USER, "--size, of no less than 0 bytes", ("bounds",), "leave --size out",
    ),
    PremiseRow(
        "stated-offset", "the {offset} is 0",
        Grantor.USER, "the surface of an argument with a stated size begins where its buffer does", ("bounds",),
        "leave --size out",
    ),
    PremiseRow(
        "global-size",
        "{size} work items, so that group id · local size + local id is less for every enabled lane; the global offset "
        "is 0",
        Grantor.USER, "--global-size", ("bounds",), "leave --global-size out",
    ),
    PremiseRow(
        "align", "addresses and offsets of buffers in the payload are multiples of {align}",
        Grantor.HOST, "hosts may pass pointers into a buffer, which are multiples of the element's size",
        ("bounds",), "--align 1",
    ),
    PremiseRow(
        "buffers-end", "a buffer begins at the address that the launch hands over, and ends below 2^64",
        Grantor.DRIVER, "addresses of allocations", ("bounds",),
    ),
    PremiseRow(
        "same-size", "the surface of an argument is as large as its buffer",
        Grantor.DRIVER, "surfaces are set to the size of the buffer, rounded up to 4 bytes", ("bounds",),
    ),
    PremiseRow(
        "buffers-below", "buffers at 64-bit addresses have fewer than 2^{bits} - 1 bytes",
        Grantor.DRIVER, "allocations are smaller", ("bounds",),
    ),
    PremiseRow(
        "counters",
        "while a message increments (or decrements) one cell for several lanes, others do so too less than {times} "
        "times, and write it in no other way",
        Grantor.NOBODY, "decision D30: no page says that others do not come between the lanes of one message",
        ("conflicts",),
    ),
    PremiseRow(
        "constants-open", "what {table} holds is arbitrary ({reason})",
        Grantor.OPEN, "the answer holds whatever is there", ALL,
    ),
    PremiseRow(
        "constants-equal", "{table} holds the same in both programs",
        Grantor.USER, "a zebin of each program says it", TWO_KERNELS, _ZEBINS,
    ),
    PremiseRow(
        "float-ieee",
        "add, mul, mad (rounded once), min, max, cmp, rnd*, frc, lrp, mov and sel on floats give what IEEE 754 says",
        Grantor.USER, "--float ieee", ALL, _IEEE,
    ),
    PremiseRow(
        "integer-division",
        "where the compiler divides integers by way of `inv`, mov, add, mul and mad (rounded once) on floats give what "
        "IEEE 754 says, and `inv` is within 2.5 ulps",
        Grantor.LANGUAGE, "reading approximations (D51): OpenCL C allows no more of 1 / x",
        ("conflicts", "bounds", *TWO_KERNELS),
        "--assume launch,-integer-division",
    ),
    PremiseRow(
        "float-mode", "%cr0 rounds to nearest even and is in IEEE mode when the kernel starts",
        Grantor.DRIVER, "the state that kernels start in", ALL, _IEEE,
    ),
    PremiseRow(
        "one-nan", "every operation of a type that gives NaN gives the same quiet NaN, which may be any",
        Grantor.NOBODY, "no page says which NaN", ALL, _IEEE,
    ),
    PremiseRow(
        "float-functions", "a result on floats depends on the operands, their types and %cr0 alone",
        Grantor.PAGE, "the pages of float operations", TWO_KERNELS,
    ),
    PremiseRow(
        "sampler-function",
        "a read through the sampler depends on the image, the sampler and the coordinates alone",
        Grantor.PAGE, "the pages of sampler messages", TWO_KERNELS,
    ),
    *OF_PAIRS,
    *OF_RUNS,
)  # fmt: skip
"""Every premise, by its name."""
