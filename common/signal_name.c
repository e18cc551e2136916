#include "common/signal_name.h"

#include <signal.h>

/* Not sigabbrev_np(3): glibc has it only since 2.32, and other C libraries name it differently. */
const char *hy_signal_name(int signal)
{
    switch (signal) {
#define NAMED(name) \
    case name: \
        return #name
        NAMED(SIGHUP);
        NAMED(SIGINT);
        NAMED(SIGQUIT);
        NAMED(SIGILL);
        NAMED(SIGTRAP);
        NAMED(SIGABRT);
        NAMED(SIGBUS);
        NAMED(SIGFPE);
        NAMED(SIGKILL);
        NAMED(SIGUSR1);
        NAMED(SIGSEGV);
        NAMED(SIGUSR2);
        NAMED(SIGPIPE);
        NAMED(SIGALRM);
        NAMED(SIGTERM);
        NAMED(SIGXCPU);
        NAMED(SIGXFSZ);
        NAMED(SIGVTALRM);
        NAMED(SIGPROF);
        NAMED(SIGIO);
        NAMED(SIGPWR);
        NAMED(SIGSYS);
#undef NAMED
    default:
        return "a signal";
    }
}
