import ArgumentParser
import CommandLineText
import ControlSocket
import Glibc
import RoomTables

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the room live, until Ctrl-C.",
        discussion: """
            On a terminal the table redraws twice a second, and waits for rowgate when it is not \
            running. Into a pipe or on a dumb terminal it is printed again and again instead. \
            --json writes a line each time: the object of status --json.

            Exit status: 0 when it was told to stop, 3 when rowgate could not be asked.
            """)

    @OptionGroup var socket: SocketOptions
    @Option(help: ArgumentHelp("A line to show below the table.", valueName: "text"))
    var footer: String?
    @Flag(help: "Print JSON Lines, for programs.") var json = false

    func validate() throws {
        if json, footer != nil { throw ValidationError("--footer is for people, not for --json") }
    }

    func run() throws {
        Interruption.catchSignals()
        let isLive = Terminal.isLive && !json
        if isLive {
            Suspension.catchSignal()
            Terminal.write(LiveScreen.enter)
        }
        defer { if isLive { Terminal.write(LiveScreen.leave) } }
        while !Interruption.isRequested {
            do {
                try follow(isLive: isLive)
            } catch {
                if Interruption.isRequested { return }
                if case .interrupted = error {
                    if isLive { LiveScreen.suspendIfRequested() }
                    continue
                }
                guard isLive, error.mayPass else {
                    if isLive { Terminal.write(LiveScreen.leave) }
                    Terminal.printError("\(error)")
                    throw error.exitCode
                }
                show(isLive: true) { width in
                    StyledLine.paragraph(error.cause, width: width, .warning)
                        + StyledLine.paragraph(error.remedy ?? "", width: width)
                }
                sleep(1)
                LiveScreen.suspendIfRequested()
            }
        }
    }

    /// Shows one reply after the other until the connection ends.
    private func follow(isLive: Bool) throws(ControlClientError) {
        let client = try ControlClient(connectingTo: socket.path)
        try client.stream(RowgateInterface.Watch.self, .init(intervalMilliseconds: 500)) { status in
            if json {
                Terminal.write(status.jsonLine)
            } else {
                show(isLive: isLive) { WatchTable(status).lines(width: $0) }
                if isLive { LiveScreen.suspendIfRequested() }
            }
            return !Interruption.isRequested
        }
    }

    /// Shows what `lines` makes of the width of this moment, and below it the footer.
    private func show(isLive: Bool, _ lines: (_ width: Int) -> [StyledLine]) {
        let below = footer.map { [StyledLine(), StyledLine($0, .faint)] } ?? []
        guard isLive else {
            return Terminal.write((lines(.max) + below + [StyledLine()]).rendered(inColour: false))
        }
        let (width, height) = Terminal.size
        // A frame leaves the last column free.
        Terminal.write(
            (lines(width - 1) + below)
                .frame(width: width, height: height, inColour: Terminal.hasColour))
    }
}

extension ControlClientError {
    /// The daemon may be starting, or be back in a moment.
    fileprivate var mayPass: Bool {
        switch self {
        case .notRunning, .hungUp, .timedOut: true
        default: false
        }
    }
}

/// The alternate screen without a cursor (xterm's private modes 1049 and 25), so that the user's
/// own screen comes back as it was.
private enum LiveScreen {
    static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
    static let leave = "\u{1B}[?25h\u{1B}[?1049l"

    static func suspendIfRequested() {
        Suspension.stopIfRequested(
            leaving: { Terminal.write(leave) }, returning: { Terminal.write(enter) })
    }
}
