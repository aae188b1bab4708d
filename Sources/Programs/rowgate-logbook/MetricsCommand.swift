import ArgumentParser
import Glibc
import HostRuntime
import Logbook
import LogbookInspection

struct MetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print the logbook's figures for Prometheus.",
        discussion: """
            They are read from the store, so the logbook may run or not; what it refused since its start it \
            says itself while it runs. Run it from a timer, into a file of node-exporter's \
            --collector.textfile.directory.

            Exit status: 0, or 2 when the store could not be read; rowgate_logbook_store_up says so too.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var choice: StoreChoice

    func run() throws {
        // Another store than the configuration's is not what a logbook runs with.
        let running =
            choice.store == nil
            ? LogbookSurroundings(configurationPath: place.config).health
                .flatMap(RunningLogbook.init(health:)) : nil
        do {
            let metrics = try choice.look(place) { try LogbookMetrics($0, running) }
            _ = writeAll(metrics.text.utf8, to: STDOUT_FILENO)
        } catch {
            _ = writeAll(LogbookMetrics(running).text.utf8, to: STDOUT_FILENO)
            throw error
        }
    }
}
