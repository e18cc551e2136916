#ifndef HY_SIGNAL_NAME_H
#define HY_SIGNAL_NAME_H

/* "SIGSEGV"; "a signal" for one without a name, such as those of real time. Static. From any
 * thread, and from handlers of signals. */
const char *hy_signal_name(int signal);

#endif
