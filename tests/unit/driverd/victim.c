#include "victim.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

bool victim_start(struct victim *victim)
{
    fflush(stdout);
    victim->pid = fork();
    if (victim->pid == 0) {
        for (;;)
            pause();
    }
    if (victim->pid < 0)
        return false;
    snprintf(victim->number, sizeof victim->number, "%d", (int)victim->pid);
    victim->priority = getpriority(PRIO_PROCESS, (id_t)victim->pid);
    victim->policy = sched_getscheduler(victim->pid);
    return true;
}

bool victim_is_unharmed(const struct victim *victim)
{
    return waitpid(victim->pid, NULL, WNOHANG) == 0 &&
           getpriority(PRIO_PROCESS, (id_t)victim->pid) == victim->priority &&
           sched_getscheduler(victim->pid) == victim->policy;
}

void victim_end(struct victim *victim)
{
    kill(victim->pid, SIGKILL);
    waitpid(victim->pid, NULL, 0);
}
