#ifndef HY_SIGNAL_NAME_H
#define HY_SIGNAL_NAME_H

/* Returns the name of a signal, such as "SIGSEGV"; "a signal" without a name, as for real-time
 * signals. The text is static. Any thread and any signal handler may call. */
const char *hy_signal_name(int signal);

#endif
