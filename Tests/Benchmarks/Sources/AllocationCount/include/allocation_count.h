#pragma once

/// Calls of the process to malloc and its relatives so far, from whatever language.
unsigned long allocation_count(void);
