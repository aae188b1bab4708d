import ArgumentParser
import Glibc
import HostRuntime
import Logbook
import LogbookInspection

struct MetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print the logbook's metrics for Prometheus.",
        discussion: """
            The metrics come from the store, whether the logbook runs or not; a running logbook adds the \
            records that it refused since its start. Run this from a timer, into a file in node-exporter's \
            --collector.textfile.directory.

            Exit status: 0, or 2 if the store could not be read; then rowgate_logbook_store_up is 0.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var choice: StoreChoice

    func run() throws {
        // A running logbook uses the configured store only.
        let running =
            choice.store == nil
            ? ConfiguredLogbook(configurationPath: configurationOption.config).health
                .flatMap(RunningLogbook.init(health:)) : nil
        do {
            let metrics = try choice.look(configurationOption) { try LogbookMetrics($0, running) }
            _ = writeAll(metrics.text.utf8, to: STDOUT_FILENO)
        } catch {
            _ = writeAll(LogbookMetrics(running).text.utf8, to: STDOUT_FILENO)
            throw error
        }
    }
}
