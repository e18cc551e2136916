#ifndef HY_RUNTIME_CPU_IDENTITY_H
#define HY_RUNTIME_CPU_IDENTITY_H

#define HY_CPU_IDENTITY_SIZE 160

/*
 * Writes the identity of the processor: its model name and the available instruction sets. Measured
 * times are only valid on machines with the same identity. Always a single line of ASCII, equal for
 * all processes of a machine.
 */
void hy_cpu_identity(char text[HY_CPU_IDENTITY_SIZE]);

/* Returns only the available instruction sets. Equal on different models with the same instruction
 * sets. The text is static. */
const char *hy_cpu_features(void);

#endif
