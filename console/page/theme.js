// Before anything is drawn, so that the page does not flash in the other theme.
const theme = new URLSearchParams(location.search).get('theme') || localStorage.getItem('theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
