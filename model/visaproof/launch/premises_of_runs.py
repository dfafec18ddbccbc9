"""Rows of the table of premises: what a run rests on."""

from visaproof.launch.premise_rows import Grantor, PremiseRow

_RUN = ("run",)

OF_RUNS = (
    PremiseRow(
        "beyond-unseen",
        "nothing that is seen depends on {what}, which is undefined to read: buffers, branches and addresses are the "
        "same under the {choices} choices tried of it",
        Grantor.NOBODY, "that {choices} choices agree is no proof that all do", ("run",),
    ),
    PremiseRow(
        "choices-agree",
        "nothing that is seen depends on {what} that no page states: buffers, branches and addresses are the same "
        "under the {choices} choices tried of it",
        Grantor.NOBODY, "that {choices} choices agree is no proof that all do", _RUN,
    ),
    PremiseRow(
        "padding", "what lies behind a variable in its last register is 0",
        Grantor.USER, "--pad; it is undefined to read (D6)", _RUN, "leave --pad out",
    ),
    PremiseRow(
        "laid-out", "the work items of a group are laid out as {layout}",
        Grantor.DRIVER, "compute-runtime 26.31: isRuntimeLocalIdsGenerationRequired, generateLocalIDs", _RUN,
    ),
    PremiseRow(
        "kernel-start", "%cr0 is 0 when the kernel starts: floats round to nearest even, in IEEE mode",
        Grantor.DRIVER, "the state that kernels start in", _RUN,
    ),
    PremiseRow(
        "one-order", "no other order of the threads ends with other bytes: {looked}",
        Grantor.LANGUAGE, "OpenCL C: a data race between work items is undefined", _RUN,
    ),
    PremiseRow(
        "begins-at-0", "uninitialised memory holds 0: {memory}",
        Grantor.NOBODY, "it may hold anything on a device", _RUN,
    ),
)  # fmt: skip
