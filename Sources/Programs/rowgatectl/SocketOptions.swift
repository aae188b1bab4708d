import ArgumentParser
import ControlSocket
import Glibc

/// Where the daemon is asked.
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

    /// Asks the daemon once; without an answer it says why, and ends the program.
    ///
    /// - Parameter timeout: how long the answer may take.
    func ask<Method: ControlMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, timeout: Duration = .seconds(5)
    ) throws -> Method.Reply {
        do {
            var client = try ControlClient(connectingTo: path, timeout: timeout)
            return try client.call(method, parameters)
        } catch {
            Terminal.complain("\(error)")
            throw error.exitCode
        }
    }
}

extension ControlClientError {
    /// What the program ends with: 64 (EX_USAGE) if the daemon answered that the question is wrong,
    /// otherwise 3, for the state of the room is not known.
    var exitCode: ExitCode {
        if case .errorReply = self { return .validationFailure }
        return ExitCode(StatusReply.ExitStatus.notRunning.rawValue)
    }
}
