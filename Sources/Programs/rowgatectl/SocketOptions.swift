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
}

extension ControlClientError {
    /// What the program ends with: 64 (EX_USAGE) if the daemon answered that the question is wrong,
    /// otherwise 3, for the state of the room is not known.
    var exitCode: ExitCode {
        if case .refused = self { return .validationFailure }
        return ExitCode(StatusReply.ExitStatus.notRunning.rawValue)
    }
}
