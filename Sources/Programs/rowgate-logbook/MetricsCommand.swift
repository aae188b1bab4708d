import ArgumentParser
import Glibc
import HostRuntime
import LogbookInspection

struct MetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print the logbook's figures for Prometheus.",
        discussion: """
            They are read from the store, so the logbook may run or not. Run it from a timer, into a file \
            of node-exporter's --collector.textfile.directory.

            Exit status: 0, or 2 when the store could not be read; rowgate_logbook_store_up says so too.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var choice: StoreChoice

    func run() throws {
        do {
            let metrics = try choice.look(place) { try LogbookMetrics($0) }
            _ = writeAll(metrics.text.utf8, to: STDOUT_FILENO)
        } catch {
            _ = writeAll(LogbookMetrics().text.utf8, to: STDOUT_FILENO)
            throw error
        }
    }
}
