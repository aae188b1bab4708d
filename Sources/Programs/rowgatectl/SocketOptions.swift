import ArgumentParser
import ControlSocket
import Glibc

/// The control socket of the daemon.
struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's control socket (default: $ROWGATE_SOCKET, "
                + "or \(RowgateInterface.defaultSocket)).",
            valueName: "path"))
    var socket: String?

    var path: String {
        let environment = getenv("ROWGATE_SOCKET").map { String(cString: $0) }
        return socket ?? environment ?? RowgateInterface.defaultSocket
    }

    /// Sends one request; without an answer prints the reason and exits.
    ///
    /// - Parameter timeout: how long the answer may take.
    func ask<Method: ControlMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, timeout: Duration = .seconds(5)
    ) throws -> Method.Reply {
        do {
            var client = try ControlClient(connectingTo: path, timeout: timeout)
            return try client.call(method, parameters)
        } catch {
            Terminal.printError("\(error)")
            throw error.exitCode
        }
    }
}

extension ControlClientError {
    /// The exit code: 64 (EX_USAGE) if the daemon rejected the request as invalid,
    /// otherwise 3, because the state of the room is unknown.
    var exitCode: ExitCode {
        if case .errorReply = self { return .validationFailure }
        return ExitCode(StatusReply.ExitStatus.notRunning.rawValue)
    }
}
