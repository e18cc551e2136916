#ifndef HY_COMMON_OWN_THREAD_H
#define HY_COMMON_OWN_THREAD_H

/*
 * Starts a detached thread of Halyard in the app's process. Every signal but SIGBUS is blocked,
 * because the handlers belong to the app. SIGBUS lets the thread survive a truncated file mapping
 * (sigbus_guard.h). The thread should set its own name. Returns 0, or an errno value.
 */
int hy_own_thread_start(void *(*serve)(void *argument), void *argument);

#endif
