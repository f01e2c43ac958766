#pragma once

/// How long work outside of a machine, such as reading an input, ends when the process is asked to.
namespace memsim {

/// Called now and then by such work: throws if the process was told to end. It costs some
/// nanoseconds to a microsecond, and does nothing until set_heed().
void heed();

/// Says what heed() does. Called once, when the program starts, by the one part that knows of
/// signals (src/python); like the registry it is fixed before the first machine is built.
void set_heed(void (*act)());

} // namespace memsim
