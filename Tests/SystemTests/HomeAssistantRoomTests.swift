import Foundation
import TestSupport
import Testing

/// Home Assistant on the broker of a simulated room. `Interop/home-assistant` installs it and runs this
/// suite.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct HomeAssistantRoomTests {
    /// Root of the Debian system with Home Assistant.
    private static let root = ProcessInfo.processInfo.environment["ROWGATE_HOMEASSISTANT"]

    /// Reads Home Assistant's registries, states and system log over its own interfaces. After the
    /// gateway stops, every entity must be unavailable.
    @Test(
        .enabled(if: root != nil, "run Tests/SystemTests/Interop/home-assistant"),
        .timeLimit(.minutes(30)))
    func showsDevicesStatesAndUnits() async throws {
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
        let isComplete = await eventually(within: .seconds(600)) {
            home.text.contains("all entities match") || !home.isRunning
        }
        #expect(isComplete && home.isRunning, "\(home.text)")
        #expect(await gateway.terminate() == 0)
        #expect(await home.waitForExit(within: .seconds(120)) == 0, "\(home.text)")
    }
}
