#ifndef HY_RUNTIME_COMPILE_COMPILE_H
#define HY_RUNTIME_COMPILE_COMPILE_H

#include "runtime/compile/compilation.h"

/* Plans and prepares. Errors: BAD_STATE (a second call), what hy_plan_create gives. */
HY_MUST_CHECK enum hy_code hy_compilation_finish(struct hy_compilation *compilation,
                                                 struct hy_error *err);

#endif
