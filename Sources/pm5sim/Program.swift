import ArgumentParser

@main
struct Program: ParsableCommand {}
