/*
 * An older libneuralnetworks.so, made of the real one: a client that opens this file by the bare
 * name and looks for a function finds it here or, as dlsym goes on in the libraries that a library
 * needs, there. Only the level differs, HALYARD_TEST_LEVEL says which. It decides by which calls a
 * client compiles and computes.
 */
#include <halyard/halyard.h>
#include <stdlib.h>

/* Without a reference the linker would not note that the real library is needed. */
const char *(*const hy_lowered_real_library)(void) = halyard_version;

int64_t ANeuralNetworks_getRuntimeFeatureLevel(void)
{
    const char *level = getenv("HALYARD_TEST_LEVEL");
    return level ? strtol(level, NULL, 10) : ANEURALNETWORKS_FEATURE_LEVEL_1;
}
