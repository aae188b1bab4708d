import Testing

@testable import MQTTClient

/// Which of several brokers is next, and what their names may look like.
@Suite struct BrokerRouteTests {
    private func route(_ others: String...) -> BrokerRoute {
        var configuration = BrokerConfiguration(host: "a", clientID: "c")
        configuration.alternatives = others.compactMap { BrokerAddress($0, port: 1883) }
        return BrokerRoute(configuration)
    }

    @Test func triesNextBrokerAtOnce() {
        var route = route("b:1884", "[::1]:5")
        var (places, pauses): ([String], [Duration]) = ([route.broker.address], [])
        for _ in 0..<7 {
            pauses.append(route.failed(after: nil, chance: 0))
            places.append(route.broker.address)
        }
        #expect(places.map { String($0.prefix(1)) } == ["a", "b", "[", "a", "b", "[", "a", "b"])
        #expect(pauses == [0, 0, 1, 0, 0, 2, 0].map { .seconds($0) })
        route.succeeded()
        #expect(route.failed(after: .seconds(60), chance: 1023) < BrokerRoute.spread)
        #expect(route.broker.address == "[::1]:5" && route.broker.alternatives.isEmpty)
        #expect(route.failed(after: nil, chance: 0) == .zero)
        #expect(
            route.failed(after: nil, chance: 0) == .seconds(1), "it stood: the first pause again")
    }

    @Test func oneBrokerBacksOff() {
        var route = route()
        let pauses = (0..<6).map { _ in route.failed(after: nil, chance: 0) }
        #expect(pauses == [1, 2, 4, 8, 16, 30].map { .seconds($0) })
        #expect(route.broker.address == "a:1883")
    }

    @Test func parsesAddresses() {
        let texts = [
            "hub": "hub:1883", "hub:8883": "hub:8883", "10.0.0.2:1": "10.0.0.2:1",
            "::1": "[::1]:1883", "[::1]": "[::1]:1883", "[::1]:7": "[::1]:7",
        ]
        for (text, words) in texts {
            #expect(BrokerAddress(text, port: 1883).map { "\($0)" } == words, "\(text)")
        }
        for text in ["", ":1883", "hub:", "hub:0", "hub:65536", "hub:x", "[::1", "[::1]7", "[]:1"] {
            #expect(BrokerAddress(text, port: 1883) == nil, "\(text)")
        }
    }
}
