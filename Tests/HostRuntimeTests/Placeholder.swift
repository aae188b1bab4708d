import Testing
// Replaced by the first test.
