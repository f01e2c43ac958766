#pragma once

/// Lets long work outside of a machine, such as reading an input, end when the process is asked to
/// end.
namespace memsim {

/// Called now and then by such work: throws if the process was asked to end. It costs some
/// nanoseconds to a microsecond, and does nothing until set_heed() is called.
void heed();

/// Sets the function that heed() calls. Called once, when the program starts, by the only part that
/// handles signals (src/python). Like the registry, it is fixed before the first machine is built.
void set_heed(void (*act)());

} // namespace memsim
