#ifndef HY_COMMON_OWN_THREAD_H
#define HY_COMMON_OWN_THREAD_H

/*
 * Starts a thread of ours inside the app's process: detached, and with every signal but SIGBUS
 * blocked, because handlers are the app's. By SIGBUS a thread survives a file that somebody cuts
 * short under the thread (torn_guard.h). The thread names itself, for those who list threads. Gives
 * 0, or an errno value.
 */
int hy_own_thread_start(void *(*serve)(void *argument), void *argument);

#endif
