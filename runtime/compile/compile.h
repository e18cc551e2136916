#ifndef HY_RUNTIME_COMPILE_COMPILE_H
#define HY_RUNTIME_COMPILE_COMPILE_H

#include "runtime/compile/compilation.h"

/* Plans and prepares. Errors: BAD_STATE (second call), those of hy_plan_create. */
HY_MUST_CHECK enum hy_code hy_compilation_finish(struct hy_compilation *compilation,
                                                 struct hy_error *err);

#endif
