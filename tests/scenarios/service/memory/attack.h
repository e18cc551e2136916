#ifndef HY_TESTS_SERVICE_ATTACK_H
#define HY_TESTS_SERVICE_ATTACK_H

/* Tries to change the contents of every file open in the process. Uses the descriptor and a
 * reopened descriptor. With `resizes` also tries to change the size. */
void attack_all(int resizes);

/* Repeats attack_all on a detached thread forever. */
void attack_for_ever(int resizes);

/* Tries to change a read-only mapping. Returns 1 on success. */
int attack_mapping(void *address, unsigned long bytes);

#endif
