import Foundation
import TestSupport
import Testing

/// A real Home Assistant on the broker of a simulated room; `Strangers/home-assistant` installs it
/// and runs this.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct HomeAssistantRoomTests {
    /// The Debian that it lives in.
    private static let root = ProcessInfo.processInfo.environment["ROWGATE_HOMEASSISTANT"]

    /// Goal: Home Assistant knows each erg as a device whose sensors show what is rowed, in the
    /// right units, and that nothing is available any more when the gateway has gone; it finds
    /// nothing to complain of. Method: its own registries and states, over its own interfaces.
    @Test(
        .enabled(if: root != nil, "run Tests/SystemTests/Strangers/home-assistant"),
        .timeLimit(.minutes(30)))
    func devicesStatesAndUnits() async throws {
        let root = try #require(Self.root)
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout just-row --link-speed 4 --seed 5".words)
        let gateway = try await room.startGateway()
        let home = try ChildProcess(
            "unshare",
            [
                "--mount", "sh", "-c",
                """
                mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" &&
                exec chroot "$0" /home-assistant/bin/python /check.py run "$@"
                """, root, "\(room.broker.port)", room.gateway, "2",
            ])
        let isThere = await eventually(within: .seconds(600)) {
            home.text.contains("everything is there") || !home.isRunning
        }
        #expect(isThere && home.isRunning, "\(home.text)")
        #expect(await gateway.terminate() == 0)
        #expect(await home.waitForExit(within: .seconds(120)) == 0, "\(home.text)")
    }
}
