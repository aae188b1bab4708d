import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import MQTTClient
@testable import Publishing

@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct HomeAssistantPublishingTests {
    private let station = MemoryLog.stations[0]

    /// Expects the number of discovery messages after the connect, after "offline", and after each of two
    /// "online".
    @Test(
        .timeLimit(.minutes(30)),
        arguments: [
            (HomeAssistantBridge.Discovery.automatic, [0, 2, 4, 6]),
            (.always, [2, 2, 4, 6]), (.never, [0, 0, 0, 0]),
        ])
    func publishesDiscoveryOnceHomeAssistantIsSeen(
        discovery: HomeAssistantBridge.Discovery, expected: [Int]
    ) async throws {
        let broker = try await PrivateBroker.running()
        let subscriber = try await MosquittoSubscriber(broker, "homeassistant/device/#")
        let own = try await MosquittoSubscriber(broker, "rowgate/#")
        let publisher = MemoryLog().publisher(port: broker.port)
        let bridge = HomeAssistantBridge(publisher, discovery: discovery, version: "1")
        bridge.describe(station, nil)
        bridge.describeGateway()
        await publisher.start(onHomeAssistant: bridge.handleStatus)
        #expect(await isServed(publisher, by: broker))
        for (count, status) in zip(expected, ["", "offline", "online", "online"]) {
            if !status.isEmpty { try await broker.publish(status, to: "homeassistant/status") }
            #expect(await eventually { subscriber.messages.count == count }, "\(status)")
        }
        publisher.setRetained(.info(station), Array(#"{"serial":"430012345"}"#.utf8))
        #expect(await eventually { own.messages.last?.topic.hasSuffix("/info") == true })
        await publisher.stop(deadline: .seconds(5))
        #expect(subscriber.messages.count == expected.last)
        #expect(
            subscriber.messages.allSatisfy {
                ["rowgate-boathouse-\(station)", "rowgate_boathouse"]
                    .map { "homeassistant/device/\($0)/config" }.contains($0.topic)
                    && $0.qos == 1
            })
    }
}
