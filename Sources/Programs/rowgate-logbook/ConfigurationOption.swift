import ArgumentParser
import Logbook

/// An option of the program and of its subcommands, under the same name in each: it is parsed once.
struct ConfigurationOption: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
    var config = LogbookConfiguration.defaultPath
}
