/// The files of the pages, which are part of the program: those of the folder `Files`.
///
/// They are a library of their own because what is embedded takes a compiler most of a minute: whoever
/// changes the logbook does not wait for the pages.
public enum PageFiles {
    /// A file as browsers get it.
    public struct Served: Sendable {
        /// Its file's name, `wall.html`.
        public let name: String
        /// Of HTTP, with its character set.
        public let contentType: String
        public let bytes: [UInt8]
    }

    /// What is served, of all pages: none of the parts of which pages are made, no comments of scripts
    /// and stylesheets, and each page with all that pages have alike.
    public static func served() -> [Served] { served(of: contents) }

    static func served(of contents: [(name: String, bytes: [UInt8])]) -> [Served] {
        let shell = PageShell(contents)
        return contents.filter { !PageShell.parts.contains($0.name) }.map { name, bytes in
            let whole =
                name.hasSuffix(".html") ? shell.page(name, bytes) : PageText.served(name, bytes)
            return Served(name: name, contentType: contentType(of: name), bytes: whole)
        }
    }

    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "webmanifest", "json": "application/json"
        default: "application/octet-stream"
        }
    }

    /// A line for each file of the folder; a test holds them against each other.
    static let contents: [(name: String, bytes: [UInt8])] = [
        ("acting.js", PackageResources.acting_js),
        ("alerts.js", PackageResources.alerts_js),
        ("asking.js", PackageResources.asking_js),
        ("athlete.css", PackageResources.athlete_css),
        ("athlete.html", PackageResources.athlete_html),
        ("athlete.js", PackageResources.athlete_js),
        ("athletes.html", PackageResources.athletes_html),
        ("athletes.js", PackageResources.athletes_js),
        ("base.css", PackageResources.base_css),
        ("bests.js", PackageResources.bests_js),
        ("calendar.js", PackageResources.calendar_js),
        ("chart.js", PackageResources.chart_js),
        ("choosing.js", PackageResources.choosing_js),
        ("coach.css", PackageResources.coach_css),
        ("coach.html", PackageResources.coach_html),
        ("coach.js", PackageResources.coach_js),
        ("compare.js", PackageResources.compare_js),
        ("crewing.js", PackageResources.crewing_js),
        ("crews.js", PackageResources.crews_js),
        ("curves.js", PackageResources.curves_js),
        ("dialog.js", PackageResources.dialog_js),
        ("effort.js", PackageResources.effort_js),
        ("ending.js", PackageResources.ending_js),
        ("event.js", PackageResources.event_js),
        ("expected.js", PackageResources.expected_js),
        ("figures.js", PackageResources.figures_js),
        ("frames.js", PackageResources.frames_js),
        ("gateway.js", PackageResources.gateway_js),
        ("gateways.css", PackageResources.gateways_css),
        ("gateways.html", PackageResources.gateways_html),
        ("gateways.js", PackageResources.gateways_js),
        ("gatewayasking.js", PackageResources.gatewayasking_js),
        ("gatewaydialogs.js", PackageResources.gatewaydialogs_js),
        ("gatewayview.js", PackageResources.gatewayview_js),
        ("gatewaywords.js", PackageResources.gatewaywords_js),
        ("grid.js", PackageResources.grid_js),
        ("header.js", PackageResources.header_js),
        ("heart.js", PackageResources.heart_js),
        ("icon.svg", PackageResources.icon_svg),
        ("light.css", PackageResources.light_css),
        ("line.js", PackageResources.line_js),
        ("lineview.js", PackageResources.lineview_js),
        ("load.js", PackageResources.load_js),
        ("needs.js", PackageResources.needs_js),
        ("newbest.js", PackageResources.newbest_js),
        ("page.js", PackageResources.page_js),
        ("piece.js", PackageResources.piece_js),
        ("places.js", PackageResources.places_js),
        ("plandialogs.js", PackageResources.plandialogs_js),
        ("planned.js", PackageResources.planned_js),
        ("plans.css", PackageResources.plans_css),
        ("plans.html", PackageResources.plans_html),
        ("plans.js", PackageResources.plans_js),
        ("planset.js", PackageResources.planset_js),
        ("planweeks.js", PackageResources.planweeks_js),
        ("planwords.js", PackageResources.planwords_js),
        ("quantity.js", PackageResources.quantity_js),
        ("race.css", PackageResources.race_css),
        ("race.html", PackageResources.race_html),
        ("race.js", PackageResources.race_js),
        ("raceboat.js", PackageResources.raceboat_js),
        ("racecontrol.js", PackageResources.racecontrol_js),
        ("raceresult.js", PackageResources.raceresult_js),
        ("raceview.js", PackageResources.raceview_js),
        ("racewords.js", PackageResources.racewords_js),
        ("racing.js", PackageResources.racing_js),
        ("reason.js", PackageResources.reason_js),
        ("records.js", PackageResources.records_js),
        ("result.js", PackageResources.result_js),
        ("room.js", PackageResources.room_js),
        ("sentview.js", PackageResources.sentview_js),
        ("rowed.js", PackageResources.rowed_js),
        ("series.js", PackageResources.series_js),
        ("session.html", PackageResources.session_html),
        ("session.js", PackageResources.session_js),
        ("sessions.css", PackageResources.sessions_css),
        ("sessions.html", PackageResources.sessions_html),
        ("sessions.js", PackageResources.sessions_js),
        ("setting.js", PackageResources.setting_js),
        ("shell.html", PackageResources.shell_html),
        ("signin.html", PackageResources.signin_html),
        ("signin.js", PackageResources.signin_js),
        ("splits.js", PackageResources.splits_js),
        ("standing.js", PackageResources.standing_js),
        ("steadiness.js", PackageResources.steadiness_js),
        ("stream.js", PackageResources.stream_js),
        ("strip.js", PackageResources.strip_js),
        ("suggestion.js", PackageResources.suggestion_js),
        ("target.js", PackageResources.target_js),
        ("telling.js", PackageResources.telling_js),
        ("tile.js", PackageResources.tile_js),
        ("told.html", PackageResources.told_html),
        ("top.html", PackageResources.top_html),
        ("top.js", PackageResources.top_js),
        ("training.js", PackageResources.training_js),
        ("travel.js", PackageResources.travel_js),
        ("versus.js", PackageResources.versus_js),
        ("view.js", PackageResources.view_js),
        ("volume.js", PackageResources.volume_js),
        ("wall.css", PackageResources.wall_css),
        ("wall.html", PackageResources.wall_html),
        ("wall.js", PackageResources.wall_js),
        ("words.js", PackageResources.words_js),
        ("workouts.js", PackageResources.workouts_js),
        ("zones.js", PackageResources.zones_js),
    ]
}
