#ifndef HY_RUNTIME_CPU_IDENTITY_H
#define HY_RUNTIME_CPU_IDENTITY_H

#define HY_CPU_IDENTITY_SIZE 160

/*
 * Names the processor: its model as it says itself, and the instruction sets that programs may use,
 * so that times measured on one machine are not believed on another. Always one line of ASCII, the
 * same for every process of a machine.
 */
void hy_cpu_identity(char text[HY_CPU_IDENTITY_SIZE]);

/* The instruction sets alone, which decide what code a program may run: equal on processors of
 * different models that offer the same. Static. */
const char *hy_cpu_features(void);

#endif
