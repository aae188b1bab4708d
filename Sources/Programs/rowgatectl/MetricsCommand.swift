import ArgumentParser
import ControlSocket
import RoomTables

struct MetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print the gateway's metrics for Prometheus.",
        discussion: """
            With --textfile they are put into a file, whole or not at all, from which node-exporter \
            takes them (--collector.textfile.directory). Run it from a timer; \
            /usr/share/doc/rowgate/examples has one.

            Exit status: 0, or 3 when rowgate could not be asked; rowgate_up says so too.
            """)

    @OptionGroup var socket: SocketOptions
    @Option(help: ArgumentHelp("The file to write, ending in .prom.", valueName: "path"))
    var textfile: String?

    func validate() throws {
        guard textfile?.hasSuffix(".prom") ?? true else {
            throw ValidationError(
                "--textfile takes a path that ends in .prom, as node-exporter does")
        }
    }

    func run() throws {
        var status: StatusReply?
        var failure: ControlClientError?
        do {
            var client = try ControlClient(connectingTo: socket.path)
            status = try client.call(RowgateInterface.Status.self, .init())
        } catch { failure = error }
        let text = MetricsPage(status).text
        if let textfile {
            try WholeFile.write(Array(text.utf8), to: textfile, mode: 0o644)
        } else {
            Terminal.write(text)
        }
        if let failure {
            Terminal.printError("\(failure)")
            throw failure.exitCode
        }
    }
}
