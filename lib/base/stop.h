/// How a program is asked to stop, and ends without leaving anything half-made behind.
#ifndef WEIR_BASE_STOP_H
#define WEIR_BASE_STOP_H

/// From here on the first SIGINT, SIGTERM or SIGHUP only asks: stop_asked() tells, and a system call that waits (for
/// the other end of a pipe, for data, for a child) fails with EINTR, at once or, if it began just then, within a
/// second. Another one ends the program there and then; so do SIGQUIT, SIGPIPE, SIGABRT and the like. Before that, and
/// in exit(), `clean_up` is called: it may only do what a signal handler may, and is not called in a child. A second
/// signal within a quarter of a second belongs to the first: `timeout`, for one, signals a program and then its group.
/// A signal that is ignored (nohup) stays ignored. Call it once.
void stop_catch(void (*clean_up)(void));

/// For programs that are killed soon after they were asked, wherever they are (mpirun gives a second): from here on the first signal that asks
/// calls `clean_up`, too. What it asks to end in order then writes nothing.
void stop_clean_at_once(void);

/// The signal that asks to stop; 0 if none came.
int stop_asked(void);
/// The signal was only to end what has now ended in order: as if it had not come.
void stop_forget(void);
/// Ends the program by the signal that asked, so that who started it sees by which. Returns if none did.
void stop_end(void);

#endif
